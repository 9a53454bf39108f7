using System.IO;
using Cinnabar.Engine.Logging;

namespace Cinnabar.Engine.Durability;

/// <summary>Switches the append-only file on and off at run time (CONFIG SET appendonly).</summary>
internal sealed class AppendOnlySwitch
{
    private readonly IDataServer _server;
    private readonly DataFiles _data;

    /// <param name="server">The server.</param>
    /// <param name="data">Its files; of what it has this comes last.</param>
    public AppendOnlySwitch(IDataServer server, DataFiles data)
    {
        (_server, _data) = (server, data);
        server.Configuration.Subscribe("appendonly", Follow);
        server.Configuration.Subscribe("dir", NoteDirectory);
    }

    /// <summary>A command in a transaction has set the directive: the first rewrite waits for the
    /// transaction's end.</summary>
    public void NoteTransaction()
    {
        if (_data.AppendOnly.IsWanted && !_data.Journal.IsOn && !_data.Snapshots.IsBusy)
        {
            Log(LogLevel.Notice, "AOF was enabled during a transaction. An AOF background was scheduled to "
                + "start when possible.");
        }
    }

    // In Redis the next rewrite moves the file: until that has ended, neither directory has all data.
    private string? NoteDirectory()
    {
        if (_data.Journal.IsOn && _data.AppendOnly.Directory.DataDirectory is var place
            && place != _data.Directory)
        {
            Log(LogLevel.Warning, $"The append-only file stays in {place} until it is switched off and on: a "
                + "server that starts in the new directory does not find it.");
        }

        return null;
    }

    // The registry is locked here, so the first loop does it.
    private string? Follow()
    {
        bool isWanted = _server.Configuration.NumberOf("appendonly") != 0;
        if (isWanted && !_data.Journal.IsOn)
        {
            try
            {
                _data.AppendOnly.Directory.Make();
            }
            catch (IOException fault)
            {
                Log(LogLevel.Warning, fault.Message);
                return "Unable to turn on AOF. Check server logs.";
            }

            if (_data.Snapshots.IsBusy)
            {
                Log(LogLevel.Notice, "AOF was enabled but there is already another background operation. An "
                    + "AOF background was scheduled to start when possible.");
            }
        }

        _data.AppendOnly.IsWanted = isWanted;
        _server.RunOnFirstLoop(_data.Rewrites.RunCron);
        return null;
    }

    private void Log(LogLevel level, string message) => _server.Log.Write(level, message);
}
