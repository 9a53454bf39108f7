namespace Cinnabar.Engine.Scripts;

/// <summary>What happens to libraries that are there when others come.</summary>
internal enum RestorePolicy
{
    /// <summary>They stay; one of the same name is an error.</summary>
    Append,

    /// <summary>One of the same name gives way.</summary>
    Replace,

    /// <summary>All of them give way.</summary>
    Flush,
}
