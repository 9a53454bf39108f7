namespace Cinnabar.Engine.Gates;

/// <summary>Where a replica sends the clients that have said <c>CLIENT CAPA redirect</c>.</summary>
/// <param name="host">Its master's name or address.</param>
/// <param name="port">Its master's port.</param>
/// <param name="isPending">Whether the other server is not the master yet, since a failover is under way: it
/// would send the clients back, so they wait.</param>
internal sealed class Redirection(string host, int port, bool isPending)
{
    private readonly byte[] _error = Encoding.UTF8.GetBytes(
        string.Create(CultureInfo.InvariantCulture, $"REDIRECT {host}:{port}"));

    /// <summary>The error that names the master.</summary>
    public ReadOnlySpan<byte> Error => _error;

    /// <summary>Whether the clients wait until the other server is the master.</summary>
    public bool IsPending { get; } = isPending;
}
