namespace Cinnabar.Commands.Sorting;

/// <summary>Orders strings by their bytes, and equal ones by their index.</summary>
/// <param name="strings">The strings.</param>
/// <param name="isTieReversed">Whether, of equal ones, the one behind comes first.</param>
internal sealed class ByteOrder(ByteStrings strings, bool isTieReversed = false) : IComparer<int>
{
    public int Compare(int x, int y)
    {
        int order = strings.Compare(x, y);
        if (order != 0)
            return order;
        return isTieReversed ? y.CompareTo(x) : x.CompareTo(y);
    }
}
