namespace Cinnabar.Load.Servers;

/// <summary>The null server's state of a connection: its position in a request, and the replies that did not
/// fit the socket.</summary>
internal sealed class FloorConnection
{
    /// <summary>The request's number of arguments, or 0 in an inline one.</summary>
    public int ArgumentCount { get; set; }

    /// <summary>How many arguments are still to come; -1: the header is.</summary>
    public int ArgumentsLeft { get; set; } = -1;

    /// <summary>How many bytes of an argument are still to come.</summary>
    public long BodyLeft { get; set; }

    /// <summary>The number of the header at hand, as far as it came.</summary>
    public long Number { get; set; }

    /// <summary>The header's first byte; 0: not there yet.</summary>
    public byte First { get; set; }

    /// <summary>Replies that are not sent yet.</summary>
    public byte[] Unsent { get; set; } = [];
}
