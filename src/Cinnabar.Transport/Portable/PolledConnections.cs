namespace Cinnabar.Transport.Portable;

/// <summary>The connections that a wait polls. Each knows its place, so that it leaves without a search.
/// </summary>
internal sealed class PolledConnections
{
    private readonly List<PortableConnection> _list = [];

    /// <summary>How many.</summary>
    public int Count => _list.Count;

    /// <summary>One of them; removing it puts the last one in its place.</summary>
    public PortableConnection this[int index] => _list[index];

    /// <summary>Adds a connection, if it is not polled already.</summary>
    public void Add(PortableConnection connection)
    {
        if (connection.PolledIndex >= 0)
            return;
        connection.PolledIndex = _list.Count;
        _list.Add(connection);
    }

    /// <summary>Removes a connection, if it is polled.</summary>
    public void Remove(PortableConnection connection)
    {
        int index = connection.PolledIndex;
        if (index < 0)
            return;
        PortableConnection last = _list[^1];
        _list[index] = last;
        last.PolledIndex = index;
        _list.RemoveAt(_list.Count - 1);
        connection.PolledIndex = -1;
    }
}
