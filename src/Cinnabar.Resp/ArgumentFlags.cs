namespace Cinnabar.Resp;

/// <summary>Bits of <see cref="Argument.Flags"/>. Bits 8 and up are the engine's.</summary>
public static class ArgumentFlags
{
    /// <summary>The bytes lie in a block of their own (a big value), never in the input buffer.</summary>
    public const uint External = 1;
}
