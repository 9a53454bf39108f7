namespace Cinnabar.Lua.Running;

/// <summary>Whether an interpreter reports lines. A type parameter of the interpreter's loop: without a hook
/// the compiled loop has no code for it.</summary>
internal interface IStepHook
{
    static abstract bool IsActive { get; }
}
