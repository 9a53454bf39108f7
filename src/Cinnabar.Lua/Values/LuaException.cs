namespace Cinnabar.Lua.Values;

/// <summary>An error of a script: any value may be thrown; most often it is a text.</summary>
public sealed class LuaException(LuaValue value) : Exception
{
    /// <summary>An error whose value is a text.</summary>
    public LuaException(string message) : this(LuaValue.FromString(LuaString.From(message)))
    {
    }

    /// <summary>The value that was thrown.</summary>
    public LuaValue Value { get; } = value;

    /// <inheritdoc/>
    public override string Message => Value.IsString ? Value.String.ToString()
        : Value.IsNumber ? NumberText.Format(Value.Number)
        : $"(error object is a {Value.TypeName} value)";
}
