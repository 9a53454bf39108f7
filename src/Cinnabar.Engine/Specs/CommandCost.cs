namespace Cinnabar.Engine.Specs;

/// <summary>How long a command can keep its loop.</summary>
public enum CommandCost : byte
{
    /// <summary>Never long.</summary>
    Constant,

    /// <summary>As long as the data are large: it may go to the slow lane.</summary>
    Linear,

    /// <summary>As long as the values of its keys are large: it reads them whole.</summary>
    Content,
}
