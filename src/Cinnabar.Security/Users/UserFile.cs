using System.Linq;

namespace Cinnabar.Security.Users;

/// <summary>The text of an <c>aclfile</c>: a line for each user.</summary>
public static class UserFile
{
    /// <summary>Reads the users of a text: all, or none where a line is wrong.</summary>
    /// <param name="table">Makes the users.</param>
    /// <param name="path">The path that errors name.</param>
    /// <param name="text">The text, one char a byte.</param>
    /// <param name="users">The users.</param>
    /// <returns>What is wrong, line by line; empty: nothing.</returns>
    public static string Read(UserTable table, string path, string text, out List<User> users)
    {
        users = [];
        HashSet<string> names = [];
        var errors = new StringBuilder();
        string[] lines = text.Split('\n');
        for (int index = 0; index < lines.Length; index++)
        {
            string line = lines[index].Trim(' ', '\t', '\r');
            if (line.Length == 0 || line[0] == '#')
                continue;
            if (ReadLine(table, line, names, out User? user) is { } error)
                errors.Append(CultureInfo.InvariantCulture, $"{path}:{index + 1}: {error}. ");
            else
                users.Add(user!);
        }

        return errors.ToString();
    }

    /// <summary>The text of users.</summary>
    public static string Write(IEnumerable<UserAccount> users)
    {
        var text = new StringBuilder();
        foreach (UserAccount account in users)
            text.Append(account.User).Append('\n');
        return text.ToString();
    }

    private static string? ReadLine(UserTable table, string line, HashSet<string> names, out User? user)
    {
        user = null;
        string[] words = line.Split(' ');
        if (words[0] != "user" || words.Length < 2)
            return "line should start with user keyword followed by the username";
        string name = words[1];
        if (!UserTable.IsNameValid(name))
            return "username '" + name + "' contains invalid characters";
        if (!names.Add(name))
            return $"WARNING: Duplicate user '{name}' found on line";
        UserBuilder builder = table.NewUser(name);
        if (builder.ApplyAll(words[2..].Where(static word => word.Length > 0)) is { } fault)
            return fault.Error;
        user = builder.Build();
        return null;
    }
}
