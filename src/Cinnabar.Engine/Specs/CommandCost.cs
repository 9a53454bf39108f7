namespace Cinnabar.Engine.Specs;

/// <summary>How long a command can occupy its loop.</summary>
public enum CommandCost : byte
{
    /// <summary>Never long.</summary>
    Constant,

    /// <summary>Grows with the data: it may go to the slow lane.</summary>
    Linear,

    /// <summary>Grows with the values of its keys: it reads them whole.</summary>
    Content,
}
