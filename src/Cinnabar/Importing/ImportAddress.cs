namespace Cinnabar.Importing;

/// <summary>The server whose data are imported, and how to log in there.</summary>
/// <param name="Host">Its name or address.</param>
/// <param name="Port">Its port.</param>
/// <param name="IsTls">Whether it is reached by TLS.</param>
internal sealed record ImportAddress(string Host, int Port, bool IsTls)
{
    private const string PlainScheme = "redis://";
    private const string TlsScheme = "rediss://";
    private const int PortDefault = 6379;

    /// <summary>The user; empty: the default user.</summary>
    public string User { get; init; } = "";

    /// <summary>The password; empty: none.</summary>
    public string Password { get; init; } = "";

    /// <summary>Reads <c>redis[s]://[[user]:password@]host[:port]</c>, percent-encoded as redis-cli reads it.
    /// </summary>
    /// <param name="text">The text.</param>
    /// <param name="fault">What is wrong with it, without anything of the text; empty: nothing.</param>
    /// <returns>Null: something is wrong.</returns>
    public static ImportAddress? TryParse(string text, out string fault)
    {
        bool isTls = text.StartsWith(TlsScheme, StringComparison.OrdinalIgnoreCase);
        bool isPlain = text.StartsWith(PlainScheme, StringComparison.OrdinalIgnoreCase);
        fault = isTls || isPlain ? "" : "it must begin with redis:// or rediss://";
        if (fault.Length > 0)
            return null;
        string rest = text[(isTls ? TlsScheme.Length : PlainScheme.Length)..];
        int at = rest.LastIndexOf('@');
        string credentials = at < 0 ? "" : rest[..at];
        string place = rest[(at + 1)..];
        if (place.EndsWith('/'))
            place = place[..^1];
        if (place.AsSpan().ContainsAny('/', '?', '#'))
        {
            fault = "nothing may follow host and port: all databases are imported";
            return null;
        }

        if (!TrySplit(place, out string host, out int port))
        {
            fault = "it must end with a host, or with host:port and a port from 1 to 65535";
            return null;
        }

        int colon = credentials.IndexOf(':');
        return new ImportAddress(host, port, isTls)
        {
            User = colon < 0 ? "" : Uri.UnescapeDataString(credentials[..colon]),
            Password = Uri.UnescapeDataString(credentials[(colon + 1)..]),
        };
    }

    /// <summary>Where it is, without user and password.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture,
        $"{(IsTls ? TlsScheme : PlainScheme)}{(Host.Contains(':') ? $"[{Host}]" : Host)}:{Port}");

    private static bool TrySplit(string place, out string host, out int port)
    {
        port = PortDefault;
        int end = place.StartsWith('[') ? place.IndexOf(']') + 1 : place.IndexOf(':');
        if (end < 0)
            end = place.Length;
        host = place[..end].Trim('[', ']');
        string rest = place[end..];
        return host.Length > 0 && (rest.Length == 0 || (rest[0] == ':'
            && int.TryParse(rest.AsSpan(1), NumberStyles.None, CultureInfo.InvariantCulture, out port)
            && port is > 0 and <= ushort.MaxValue));
    }
}
