using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Replication.Replicas;

namespace Cinnabar.Engine.Administration;

/// <summary>Reads what a replica tells of itself.</summary>
internal static class AnnouncementReader
{
    private const int AddressLengthMax = 255;

    /// <summary>Reads an option of REPLCONF with its value, or replies the error.</summary>
    /// <param name="execution">REPLCONF.</param>
    /// <param name="told">What the replica has told before.</param>
    /// <param name="index">The option's place.</param>
    /// <returns>What it has told now; null: an error was replied.</returns>
    public static ReplicaAnnouncement? Read(SessionExecution execution, ReplicaAnnouncement told, int index)
    {
        ReadOnlySpan<byte> value = execution.Argument(index + 1);
        if (execution.Is(index, "listening-port"u8))
        {
            return execution.TryInteger(index + 1, out long port)
                ? told with { Port = (int)Math.Clamp(port, 0, ushort.MaxValue) } : null;
        }

        if (execution.Is(index, "ip-address"u8))
            return ReadAddress(execution, told, value);
        if (execution.Is(index, "capa"u8))
        {
            return execution.Is(index + 1, "eof"u8) ? told with { KnowsEndMarks = true }
                : execution.Is(index + 1, "psync2"u8) ? told with { KnowsNewNames = true } : told;
        }

        if (execution.Is(index, "version"u8))
            return ReadVersion(execution, told, value);
        if (execution.Is(index, "rdb-only"u8))
            return ReadDataOnly(execution, told, index + 1);
        if (execution.Is(index, "rdb-filter-only"u8))
            return ReadParts(execution, told, value);
        execution.Reply.Error("ERR Unrecognized REPLCONF option: "u8, execution.Argument(index), default);
        return null;
    }

    private static ReplicaAnnouncement? ReadAddress(
        SessionExecution execution, ReplicaAnnouncement told, ReadOnlySpan<byte> address)
    {
        if (address.Length <= AddressLengthMax)
            return told with { Address = Encoding.Latin1.GetString(address) };
        execution.Reply.Error(Encoding.ASCII.GetBytes("ERR REPLCONF ip-address provided by replica instance "
            + $"is too long: {address.Length} bytes"));
        return null;
    }

    private static ReplicaAnnouncement? ReadVersion(
        SessionExecution execution, ReplicaAnnouncement told, ReadOnlySpan<byte> text)
    {
        int version = ReplicaAnnouncement.ParseVersion(text);
        if (version != 0)
            return told with { Version = version };
        execution.Reply.Error("ERR Unrecognized version format: "u8, text, default);
        return null;
    }

    private static ReplicaAnnouncement? ReadDataOnly(
        SessionExecution execution, ReplicaAnnouncement told, int index)
    {
        if (!execution.TryInteger(index, out long number))
            return null;
        if (number is 0 or 1)
            return told with { IsDataOnly = number == 1 };
        execution.Reply.Error("ERR value is out of range, value must between 0 and 1"u8);
        return null;
    }

    // The value names what is wanted, in words; none: nothing but the frame.
    private static ReplicaAnnouncement? ReadParts(
        SessionExecution execution, ReplicaAnnouncement told, ReadOnlySpan<byte> value)
    {
        PayloadParts parts = PayloadParts.None;
        foreach (string word in Encoding.Latin1.GetString(value)
            .Split([' ', '\t'], StringSplitOptions.RemoveEmptyEntries))
        {
            if (!word.Equals("functions", StringComparison.OrdinalIgnoreCase))
            {
                execution.Reply.Error(
                    "ERR Unsupported rdb-filter-only option: "u8, Encoding.Latin1.GetBytes(word), default);
                return null;
            }

            parts |= PayloadParts.Functions;
        }

        return told with { Parts = parts };
    }
}
