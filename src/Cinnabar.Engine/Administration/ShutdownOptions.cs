namespace Cinnabar.Engine.Administration;

/// <summary>The words of SHUTDOWN.</summary>
[Flags]
internal enum ShutdownOptions
{
    None = 0,

    /// <summary>Do not save, whatever the configuration says.</summary>
    NoSave = 1 << 0,

    /// <summary>Save, whatever the configuration says.</summary>
    Save = 1 << 1,

    /// <summary>Do not wait for replicas.</summary>
    Now = 1 << 2,

    /// <summary>End even where saving fails.</summary>
    Force = 1 << 3,

    /// <summary>From Valkey: refuse if a cluster would lose slots. A server without cluster loses
    /// none.</summary>
    Safe = 1 << 4,

    /// <summary>Take an earlier SHUTDOWN back.</summary>
    Abort = 1 << 5,
}
