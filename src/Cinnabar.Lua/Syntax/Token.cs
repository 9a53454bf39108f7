using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Syntax;

/// <summary>A token: its kind, and what a number, name or string says.</summary>
internal readonly record struct Token(TokenKind Kind, double Number = 0, LuaString? Text = null);
