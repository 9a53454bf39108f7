using Cinnabar.Security.Rules;

namespace Cinnabar.Security.Users;

/// <summary>What a user may do and how it logs in. Never changed: a change makes another object.</summary>
public sealed class User
{
    private readonly Selector[] _selectors;

    internal User(UserBuilder builder)
    {
        Name = builder.Name;
        IsEnabled = builder.IsEnabled;
        NeedsNoPassword = builder.NeedsNoPassword;
        Flags = builder.Flags();
        Passwords = [.. builder.Passwords];
        _selectors = builder.Selectors();
        Debug.Assert(_selectors.Length > 0, "its own permissions come first");
        Debug.Assert(!NeedsNoPassword || Passwords.Count == 0, "every password is right");
        IsUnrestricted = Array.Exists(_selectors, static selector => selector.IsUnrestricted);
    }

    /// <summary>Its name, one char a byte.</summary>
    public string Name { get; }

    /// <summary>Whether clients may log in as this user.</summary>
    public bool IsEnabled { get; }

    /// <summary>Whether every password is right.</summary>
    public bool NeedsNoPassword { get; }

    /// <summary>The words of its flags: "on", "nopass".</summary>
    public IReadOnlyList<string> Flags { get; }

    /// <summary>Its passwords, in the order in which they were given.</summary>
    public IReadOnlyList<PasswordHash> Passwords { get; }

    /// <summary>Its permissions: those outside of parentheses first.</summary>
    public ReadOnlySpan<Selector> Selectors => _selectors;

    /// <summary>Whether it may do everything.</summary>
    public bool IsUnrestricted { get; }

    /// <summary>Whether a client may log in with a password. The time depends on the number of passwords,
    /// and on nothing else.</summary>
    public bool Accepts(ReadOnlySpan<byte> password)
    {
        PasswordHash given = PasswordHash.Of(password);
        bool isRight = NeedsNoPassword;
        foreach (PasswordHash known in Passwords)
            isRight |= known.Matches(given);
        return isRight && IsEnabled;
    }

    /// <summary>The rules that make this user from a new one.</summary>
    public string Describe()
    {
        var text = new StringBuilder(string.Join(' ', Flags));
        foreach (PasswordHash password in Passwords)
            text.Append(" #").Append(password);
        text.Append(' ').Append(_selectors[0]);
        for (int index = 1; index < _selectors.Length; index++)
            text.Append(" (").Append(_selectors[index]).Append(')');
        return text.ToString();
    }

    /// <summary>The line of a configuration file that makes this user.</summary>
    public override string ToString() => $"user {Name} {Describe()}";
}
