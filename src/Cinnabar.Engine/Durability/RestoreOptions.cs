using Cinnabar.Keyspace.Loading;

namespace Cinnabar.Engine.Durability;

/// <summary>What stands behind the payload of RESTORE.</summary>
internal struct RestoreOptions
{
    private const int OptionsIndex = 4;
    private const int FrequencyMax = 255;

    private long _idleSeconds = -1;
    private long _frequency = -1;

    public RestoreOptions()
    {
    }

    /// <summary>Whether a key that is there is replaced.</summary>
    public bool IsReplace { get; private set; }

    /// <summary>Whether the deadline is an instant, not a time from now.</summary>
    public bool IsAbsolute { get; private set; }

    /// <summary>What is known of the key's use.</summary>
    public readonly KeyUse Use => new(_idleSeconds, (int)_frequency);

    /// <summary>Reads the options, or replies Redis's error.</summary>
    public bool TryRead(Execution execution)
    {
        for (int index = OptionsIndex; index < execution.ArgumentCount; index++)
        {
            if (execution.Is(index, "replace"u8))
            {
                IsReplace = true;
            }
            else if (execution.Is(index, "absttl"u8))
            {
                IsAbsolute = true;
            }
            else if (execution.Is(index, "idletime"u8) && _frequency < 0
                && index + 1 < execution.ArgumentCount)
            {
                if (!TryNumber(execution, ++index, long.MaxValue, out _idleSeconds,
                        "ERR Invalid IDLETIME value, must be >= 0"u8))
                    return false;
            }
            else if (execution.Is(index, "freq"u8) && _idleSeconds < 0 && index + 1 < execution.ArgumentCount)
            {
                if (!TryNumber(execution, ++index, FrequencyMax, out _frequency,
                        "ERR Invalid FREQ value, must be >= 0 and <= 255"u8))
                    return false;
            }
            else
            {
                execution.Reply.Error(Errors.Syntax);
                return false;
            }
        }

        return true;
    }

    private static bool TryNumber(
        Execution execution, int index, long max, out long number, ReadOnlySpan<byte> error)
    {
        if (!execution.TryInteger(index, out number))
            return false;
        if (number >= 0 && number <= max)
            return true;
        execution.Reply.Error(error);
        return false;
    }
}
