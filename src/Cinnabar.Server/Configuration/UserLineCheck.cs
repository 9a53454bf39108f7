using System.Linq;
using Cinnabar.Engine.Specs;
using Cinnabar.Security.Users;

namespace Cinnabar.Server.Configuration;

/// <summary>
/// Reads the rules of each <c>user</c> line, so that a wrong one is an error of the file. What commands there
/// are is known when the server starts: it reports unknown ones, as Redis does.
/// </summary>
internal sealed class UserLineCheck
{
    private UserTable? _table;

    /// <summary>What is wrong with the words of a line, in Redis's words; or null.</summary>
    internal string? Find(IReadOnlyList<string> words)
    {
        _table ??= new UserTable(new CommandTable());
        return _table.NewUser(words[0]).ApplyAll(words.Skip(1)) is { IsUnknownCommand: false } fault
            ? $"Error in user declaration '{fault.Rule}': {fault.Error}" : null;
    }
}
