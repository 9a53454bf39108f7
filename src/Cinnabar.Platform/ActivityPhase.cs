namespace Cinnabar.Platform;

/// <summary>What a loop is doing; fatal_signals.c has a text for each.</summary>
public enum ActivityPhase
{
    /// <summary>Waits for events.</summary>
    Waits,

    /// <summary>Receives from its connections.</summary>
    Receives,

    /// <summary>Delivers what other threads have for its sessions.</summary>
    DeliversMessages,

    /// <summary>Finds the commands in what was received.</summary>
    Scans,

    /// <summary>Executes a command.</summary>
    Executes,

    SendsReplies,

    /// <summary>Removes what has expired, gives memory back.</summary>
    KeepsHouse,
}
