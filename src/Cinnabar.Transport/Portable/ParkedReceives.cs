namespace Cinnabar.Transport.Portable;

/// <summary>Parks connections: each has an asynchronous receive of no bytes pending. Only the loop uses it.
/// </summary>
/// <param name="wakeUp">Wakes the loop.</param>
internal sealed class ParkedReceives(WakeUpSocket wakeUp)
{
    private const int PooledCountMax = 256;

    private readonly ParkedQueue _ended = new(wakeUp);
    private readonly Stack<ParkedReceive> _pool = new();

    /// <summary>Parks a connection until there is something to read.</summary>
    /// <returns>False if there is already.</returns>
    public bool TryPark(PortableConnection connection)
    {
        if (connection.Parked is not null)
            return true;
        ParkedReceive receive = _pool.Count > 0 ? _pool.Pop() : new ParkedReceive(_ended);
        receive.Connection = connection;
        if (!connection.Socket.ReceiveAsync(receive))
        {
            Recycle(receive);
            connection.FruitlessCount = 0;
            return false;
        }

        connection.Parked = receive;
        return true;
    }

    /// <summary>Adds the connections that are no longer parked.</summary>
    public void TakeEnded(List<PortableConnection> connections)
    {
        for (ParkedReceive? receive = _ended.Take(); receive is not null;)
        {
            ParkedReceive? next = receive.Earlier;
            PortableConnection connection = receive.Connection!;
            connection.Parked = null;
            Recycle(receive);
            connections.Add(connection);
            receive = next;
        }
    }

    private void Recycle(ParkedReceive receive)
    {
        receive.Connection = null;
        receive.Earlier = null;
        if (_pool.Count < PooledCountMax)
            _pool.Push(receive);
        else
            receive.Dispose();
    }
}
