using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Connection;

/// <summary>One filter of CLIENT LIST or CLIENT KILL.</summary>
/// <param name="Property">What it looks at.</param>
/// <param name="IsNegated">Whether it is negated.</param>
internal sealed record ClientCondition(ClientProperty Property, bool IsNegated)
{
    /// <summary>The wanted text, one char a byte.</summary>
    public string Text { get; init; } = "";

    /// <summary>The wanted number, or the kind.</summary>
    public long Number { get; init; }

    /// <summary>The wanted ids.</summary>
    public HashSet<long> Ids { get; init; } = [];

    public bool Matches(Session session, long nowMs) => IsNegated != Property switch
    {
        ClientProperty.Id => Ids.Contains(session.Id),
        ClientProperty.Type => (long)ClientDescription.KindOf(session) == Number,
        ClientProperty.Address => session.Endpoint.RemoteAddress == Text,
        ClientProperty.LocalAddress => session.Endpoint.LocalAddress == Text,
        ClientProperty.Ip => IsIp(session.Endpoint.RemoteAddress),
        ClientProperty.User => session.User == Text,
        ClientProperty.Name => IsText(session.Name),
        ClientProperty.LibraryName => IsText(session.LibraryName),
        ClientProperty.LibraryVersion => IsText(session.LibraryVersion),
        ClientProperty.Flags => HasFlags(ClientDescription.FlagsOf(session)),
        ClientProperty.Capabilities => (session.Capabilities & (uint)Number) == (uint)Number,
        ClientProperty.Database => session.Database == Number,
        ClientProperty.Age => ClientDescription.AgeSeconds(session, nowMs) >= Number,
        ClientProperty.Idle => ClientDescription.IdleSeconds(session, nowMs) >= Number,
        _ => throw new InvalidOperationException($"no filter looks at {Property}"),
    };

    private bool IsText(byte[] value) => Encoding.Latin1.GetString(value) == Text;

    private bool IsIp(string address)
    {
        int end = address.LastIndexOf(':');
        ReadOnlySpan<char> ip = end < 0 ? address : address.AsSpan(0, end);
        return ip.Trim("[]").SequenceEqual(Text.AsSpan().Trim("[]"));
    }

    private bool HasFlags(string flags)
    {
        foreach (char flag in Text)
        {
            if (!flags.Contains(flag, StringComparison.Ordinal))
                return false;
        }

        return true;
    }
}
