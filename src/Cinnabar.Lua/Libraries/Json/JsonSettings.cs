namespace Cinnabar.Lua.Libraries.Json;

/// <summary>What a script can set of the library <c>cjson</c>.</summary>
internal sealed class JsonSettings
{
    private const int DepthMax = 1000;
    private const int Precision = 14;
    private const int Ratio = 2;
    private const int Safe = 10;

    /// <summary>Tables within each other that encode accepts.</summary>
    internal int EncodeDepthMax { get; set; }

    /// <summary>Arrays and objects within each other that decode accepts.</summary>
    internal int DecodeDepthMax { get; set; }

    /// <summary>Significant digits of numbers.</summary>
    internal int NumberPrecision { get; set; }

    /// <summary>Kept for scripts that set it: buffers come from a pool.</summary>
    internal bool KeepBuffer { get; set; }

    /// <summary>What encode does with infinities.</summary>
    internal JsonInvalidNumbers EncodeInvalid { get; set; }

    /// <summary>Whether decode accepts infinities, hexadecimal numbers and leading zeros.</summary>
    internal bool DecodeInvalid { get; set; }

    /// <summary>Whether sparse arrays are encoded as objects; else they are an error.</summary>
    internal bool SparseConvert { get; set; }

    /// <summary>An array is sparse whose highest index is more than so many times its values; 0: none
    /// is.</summary>
    internal int SparseRatio { get; set; }

    /// <summary>No array is sparse whose highest index is not above this.</summary>
    internal int SparseSafe { get; set; }

    /// <summary>Whether decode marks empty arrays, so that encode knows them.</summary>
    internal bool MarkEmptyArrays { get; set; }

    internal JsonSettings() => Reset();

    /// <summary>Sets what there is without a script's wish.</summary>
    internal void Reset()
    {
        EncodeDepthMax = DecodeDepthMax = DepthMax;
        NumberPrecision = Precision;
        KeepBuffer = DecodeInvalid = true;
        EncodeInvalid = JsonInvalidNumbers.Off;
        SparseConvert = MarkEmptyArrays = false;
        SparseRatio = Ratio;
        SparseSafe = Safe;
    }
}
