namespace Cinnabar.Load.Servers;

/// <summary>How far the start of a server has come.</summary>
internal enum StartStage
{
    /// <summary>It does not listen yet.</summary>
    Silent,

    /// <summary>It loads its data and refuses commands.</summary>
    Loading,

    /// <summary>It answers.</summary>
    Answering,
}
