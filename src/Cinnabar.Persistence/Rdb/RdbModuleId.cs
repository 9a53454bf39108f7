// The type of a module's value: nine characters of six bits, then ten bits of version.

namespace Cinnabar.Persistence.Rdb;

/// <summary>Whose value a module's value is.</summary>
/// <param name="Value">As it is written.</param>
public readonly record struct RdbModuleId(ulong Value)
{
    private const string Characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    private const int NameLength = 9;
    private const int VersionBits = 10;
    private const int CharacterBits = 6;

    /// <summary>The version of the value's encoding.</summary>
    public int Version => (int)(Value & ((1 << VersionBits) - 1));

    /// <summary>The name of the type: nine characters.</summary>
    public string Name => string.Create(NameLength, Value, static (name, value) =>
    {
        value >>= VersionBits;
        for (int at = NameLength - 1; at >= 0; at--, value >>= CharacterBits)
            name[at] = Characters[(int)(value & ((1 << CharacterBits) - 1))];
    });
}
