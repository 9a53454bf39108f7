namespace Cinnabar.Lua.Running;

/// <summary>Lines are not reported.</summary>
internal readonly struct NoHook : IStepHook
{
    public static bool IsActive => false;
}
