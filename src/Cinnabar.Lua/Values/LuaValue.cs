namespace Cinnabar.Lua.Values;

/// <summary>
/// A value of Lua in 16 bytes, without boxing.
///
/// <code>
///   Ref     null: nil; a tag: boolean or number; else the LuaString or LuaObject itself
///   Num     the number; of other types without meaning
/// </code>
///
/// The tags are literals of the program: objects that the runtime keeps for ever at an address that compiled
/// code contains, so that a comparison with one needs no load and a store of one no write barrier.
/// </summary>
public struct LuaValue : IEquatable<LuaValue>
{
    internal const string NumberTag = "number";
    internal const string TrueTag = "true";
    internal const string FalseTag = "false";

    internal object? Ref;
    internal double Num;

    internal LuaValue(object? reference)
    {
        Ref = reference;
        Num = 0;
    }

    internal LuaValue(double number)
    {
        Ref = NumberTag;
        Num = number;
    }

    /// <summary>nil.</summary>
    public static LuaValue Nil => default;

    /// <summary>true.</summary>
    public static LuaValue True => new((object)TrueTag);

    /// <summary>false.</summary>
    public static LuaValue False => new((object)FalseTag);

    /// <summary>Whether it is nil.</summary>
    public readonly bool IsNil => Ref is null;

    /// <summary>Whether it is a number; a string that looks like one is none.</summary>
    public readonly bool IsNumber => Ref == (object)NumberTag;

    /// <summary>Whether it is a string.</summary>
    public readonly bool IsString => Ref is LuaString;

    /// <summary>Whether it is a table.</summary>
    public readonly bool IsTable => Ref is LuaTable;

    /// <summary>Whether it is a function.</summary>
    public readonly bool IsFunction => Ref is LuaFunction;

    /// <summary>Whether it is true or false.</summary>
    public readonly bool IsBoolean => Ref == (object)TrueTag || Ref == (object)FalseTag;

    /// <summary>Whether a condition takes it as true: anything but nil and false.</summary>
    public readonly bool IsTruthy => Ref is not null && Ref != (object)FalseTag;

    /// <summary>Its type.</summary>
    public readonly LuaType Type => Ref switch
    {
        null => LuaType.Nil,
        LuaString => LuaType.String,
        LuaTable => LuaType.Table,
        LuaObject other => other.Type,
        _ => IsNumber ? LuaType.Number : LuaType.Boolean,
    };

    /// <summary>The name of its type, as <c>type</c> gives it.</summary>
    public readonly string TypeName => NameOf(Type);

    /// <summary>The number; the value must be one.</summary>
    public readonly double Number
    {
        get
        {
            Debug.Assert(IsNumber);
            return Num;
        }
    }

    /// <summary>The boolean; the value must be one.</summary>
    public readonly bool Boolean
    {
        get
        {
            Debug.Assert(IsBoolean);
            return Ref == (object)TrueTag;
        }
    }

    /// <summary>The string; the value must be one.</summary>
    public readonly LuaString String => (LuaString)Ref!;

    /// <summary>The string; null for other types.</summary>
    public readonly LuaString? AsString => Ref as LuaString;

    /// <summary>The table; the value must be one.</summary>
    public readonly LuaTable Table => (LuaTable)Ref!;

    /// <summary>The function; the value must be one.</summary>
    public readonly LuaFunction Function => (LuaFunction)Ref!;

    /// <summary>The table, function, thread or userdata that it refers to; null for other types.</summary>
    public readonly LuaObject? Object => Ref as LuaObject;

    /// <summary>A number is a value.</summary>
    public static implicit operator LuaValue(double number) => new(number);

    /// <summary>Whether both are the same: no metamethods.</summary>
    public static bool operator ==(LuaValue left, LuaValue right) => left.Equals(right);

    /// <summary>Whether they differ: no metamethods.</summary>
    public static bool operator !=(LuaValue left, LuaValue right) => !left.Equals(right);

    /// <summary>true or false.</summary>
    public static LuaValue FromBoolean(bool value) => new((object)(value ? TrueTag : FalseTag));

    /// <summary>A number.</summary>
    public static LuaValue FromNumber(double value) => new(value);

    /// <summary>A string.</summary>
    public static LuaValue FromString(LuaString value) => new((object)value);

    /// <summary>A text in UTF-8.</summary>
    public static LuaValue FromString(string value) => new((object)LuaString.From(value));

    /// <summary>A string.</summary>
    public static LuaValue From(LuaString value) => new((object)value);

    /// <summary>A table, function, thread or userdata.</summary>
    public static LuaValue From(LuaObject value) => new((object)value);

    /// <summary>A value that is compared and kept by identity, or nil.</summary>
    public static LuaValue FromOrNil(LuaObject? value) => new((object?)value);

    /// <summary>The name of a type.</summary>
    public static string NameOf(LuaType type) => type switch
    {
        LuaType.Nil => "nil",
        LuaType.Boolean => "boolean",
        LuaType.Number => "number",
        LuaType.String => "string",
        LuaType.Table => "table",
        LuaType.Function => "function",
        LuaType.Thread => "thread",
        _ => "userdata",
    };

    /// <summary>The number that arithmetic takes it for: a number, or a string that converts to
    /// one.</summary>
    public readonly bool TryToNumber(out double number)
    {
        number = Num;
        return IsNumber || (Ref is LuaString text && NumberText.TryParse(text.Bytes, out number));
    }

    /// <summary>The text that concatenation takes it for: a string, or a number's text.</summary>
    public readonly bool TryToText(out LuaString text)
    {
        text = Ref as LuaString ?? LuaString.Empty;
        if (Ref is LuaString) return true;
        if (!IsNumber) return false;
        Span<byte> buffer = stackalloc byte[NumberText.LengthMax];
        text = LuaString.From(buffer[..NumberText.Format(Num, buffer)]);
        return true;
    }

    /// <summary>Makes it a number.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void SetNumber(double number)
    {
        Ref = NumberTag;
        Num = number;
    }

    /// <inheritdoc/>
    public readonly bool Equals(LuaValue other)
    {
        if (Ref == other.Ref) return Ref != (object)NumberTag || Num == other.Num;
        return Ref is LuaString left && other.Ref is LuaString right && left.Equals(right);
    }

    /// <inheritdoc/>
    public override readonly bool Equals(object? obj) => obj is LuaValue other && Equals(other);

    /// <inheritdoc/>
    public override readonly int GetHashCode() => Ref switch
    {
        null => 0,
        LuaString text => text.Hash,
        _ => IsNumber ? Num.GetHashCode() : RuntimeHelpers.GetHashCode(Ref),
    };

    /// <summary>For the debugger.</summary>
    public override readonly string ToString() =>
        TryToText(out LuaString text) ? text.ToString() : IsBoolean ? (string)Ref! : TypeName;
}
