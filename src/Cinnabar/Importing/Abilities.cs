using Cinnabar.Resp;

namespace Cinnabar.Importing;

/// <summary>Which commands a server has and its user may call.</summary>
internal sealed class Abilities
{
    private static readonly byte[] s_noKey = "cinnabar-import"u8.ToArray();

    private Abilities()
    {
    }

    /// <summary>DUMP.</summary>
    public bool CanDump { get; private init; }

    /// <summary>PEXPIRETIME, since Redis 7.0.</summary>
    public bool CanTellDeadline { get; private init; }

    /// <summary>TIME.</summary>
    public bool CanTellTime { get; private init; }

    /// <summary>HPEXPIRETIME, since Redis 7.4.</summary>
    public bool CanTellFieldDeadlines { get; private init; }

    /// <summary>Asks a source.</summary>
    public static Abilities Of(SourceLink source) => new()
    {
        CanDump = Has(source.Call("DUMP"u8.ToArray(), s_noKey)),
        CanTellDeadline = Has(source.Call("PEXPIRETIME"u8.ToArray(), s_noKey)),
        CanTellTime = Has(source.Call("TIME")),
        CanTellFieldDeadlines = Has(source.Call("HPEXPIRETIME", "cinnabar-import", "FIELDS", "1", "f")),
    };

    /// <summary>Whether a reply is not the refusal of the command as such.</summary>
    public static bool Has(Reply reply) => !reply.IsError
        || !(reply.Text.StartsWith("ERR unknown command", StringComparison.OrdinalIgnoreCase)
            || (reply.Text.StartsWith("NOPERM", StringComparison.Ordinal)
                && reply.Text.Contains("to run the", StringComparison.Ordinal)));
}
