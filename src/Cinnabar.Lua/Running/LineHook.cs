namespace Cinnabar.Lua.Running;

/// <summary>Lines are reported to <see cref="LuaMachine.OnLine"/>.</summary>
internal readonly struct LineHook : IStepHook
{
    public static bool IsActive => true;
}
