using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Durability;

/// <summary>What a MIGRATE asks for.</summary>
internal sealed class MigrateRequest
{
    private const int PortIndex = 2;
    private const int KeyIndex = 3;
    private const int DatabaseIndex = 4;
    private const int TimeoutIndex = 5;
    private const int TimeoutMsDefault = 1000;

    private MigrateRequest(string host, int port)
    {
        Host = host;
        Port = port;
    }

    /// <summary>Name or address of the other server.</summary>
    public string Host { get; }

    /// <summary>Its port; 0: no port that there is.</summary>
    public int Port { get; }

    /// <summary>The database there.</summary>
    public long Database { get; private set; }

    /// <summary>How long it may take to connect, and to send or receive anything, in milliseconds.</summary>
    public int TimeoutMs { get; private set; }

    /// <summary>Whether the keys stay here.</summary>
    public bool IsCopy { get; private set; }

    /// <summary>Whether they replace keys there.</summary>
    public bool IsReplace { get; private set; }

    /// <summary>The arguments of AUTH: none, password, or name and password.</summary>
    public byte[][] Credentials { get; private set; } = [];

    /// <summary>The argument that names the first key.</summary>
    public int KeyFirst { get; private set; } = KeyIndex;

    /// <summary>How many keys there are.</summary>
    public int KeyCount { get; private set; } = 1;

    /// <summary>Reads the arguments, or replies Redis's error.</summary>
    public static MigrateRequest? Read(SessionExecution execution)
    {
        string host = Encoding.UTF8.GetString(execution.Argument(1));
        if (!int.TryParse(execution.Argument(PortIndex), CultureInfo.InvariantCulture, out int port)
            || port is < 0 or > ushort.MaxValue)
            port = 0;
        var request = new MigrateRequest(host, port);
        if (!request.TryReadOptions(execution)
            || !execution.TryInteger(TimeoutIndex, out long timeoutMs)
            || !execution.TryInteger(DatabaseIndex, out long database))
            return null;
        request.Database = database;
        request.TimeoutMs = timeoutMs <= 0 ? TimeoutMsDefault : (int)Math.Min(timeoutMs, int.MaxValue / 1000);
        return request;
    }

    private bool TryReadOptions(SessionExecution execution)
    {
        for (int index = MigrateArguments.OptionIndex; index < execution.ArgumentCount; index++)
        {
            int left = execution.ArgumentCount - index - 1;
            if (execution.Is(index, "copy"u8))
            {
                IsCopy = true;
            }
            else if (execution.Is(index, "replace"u8))
            {
                IsReplace = true;
            }
            else if (execution.Is(index, "auth"u8) && left >= 1)
            {
                Credentials = [execution.Argument(++index).ToArray()];
            }
            else if (execution.Is(index, "auth2"u8) && left >= 2)
            {
                Credentials = [execution.Argument(++index).ToArray(), execution.Argument(++index).ToArray()];
            }
            else if (execution.Is(index, "keys"u8))
            {
                (KeyFirst, KeyCount) = (index + 1, left);
                return IsKeyEmpty(execution);
            }
            else
            {
                execution.Reply.Error(Errors.Syntax);
                return false;
            }
        }

        return true;
    }

    private static bool IsKeyEmpty(SessionExecution execution)
    {
        if (execution.Argument(KeyIndex).IsEmpty)
            return true;
        execution.Reply.Error(
            "ERR When using MIGRATE KEYS option, the key argument must be set to the empty string"u8);
        return false;
    }
}
