namespace Cinnabar.Platform.Files;

/// <summary>What a file is opened for.</summary>
public enum FileUse
{
    /// <summary>To read a file that exists.</summary>
    Read,

    /// <summary>To write a new file, in place of one that has the name.</summary>
    Create,

    /// <summary>To write behind what the file has, which is made where it is missing.</summary>
    Append,
}
