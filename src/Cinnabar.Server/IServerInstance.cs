using System.Threading.Tasks;

namespace Cinnabar.Server;

/// <summary>
/// A server that listens already, as its process sees it.
/// </summary>
internal interface IServerInstance
{
    /// <summary>What it listens on: tcp or unix, a blank, the address.</summary>
    IReadOnlyList<string> Listeners { get; }

    /// <summary>
    /// Completes when all connections are closed and everything is freed: after <see cref="Stop"/>, after the
    /// command SHUTDOWN, or after an internal fault, with the exit code of the process.
    /// </summary>
    Task<int> Completion { get; }

    /// <summary>Completes when the data are loaded, and fails where they cannot be.</summary>
    Task Ready { get; }

    /// <summary>Begins to load the data: until then, if there are some, most commands are refused.</summary>
    void Load();

    /// <summary>Saves before an end that a signal has asked for, where the configuration says so. Returns
    /// when that is done.</summary>
    /// <returns>False if it failed: the server must go on; or it ends by itself, as after SHUTDOWN.</returns>
    bool TryPrepareEnd(bool isInterrupt);

    /// <summary>Begins an orderly end; from any thread, any number of times.</summary>
    void Stop();
}
