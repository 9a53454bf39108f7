using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Server.Configuration;

/// <summary>
/// Applies each <c>rename-command</c> to a command table of its own, in order, so that an impossible line is
/// an error of the file.
/// </summary>
internal sealed class CommandRenameCheck
{
    private CommandTable? _table;

    /// <summary>What is wrong with a line, in Redis's words; or null.</summary>
    internal string? Find(CommandRename rename)
    {
        _table ??= new CommandTable();
        byte[] from = Encoding.Latin1.GetBytes(rename.From);
        if (_table.Find(from) is null)
            return "No such command in rename-command";
        return _table.Rename(from, Encoding.Latin1.GetBytes(rename.To))
            ? null : "Target command name already exists";
    }
}
