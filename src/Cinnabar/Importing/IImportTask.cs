using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Statistics;

namespace Cinnabar.Importing;

/// <summary>What the imports of the masters share.</summary>
internal interface IImportTask
{
    /// <summary>Counts what is done.</summary>
    ImportProgress Progress { get; }

    /// <summary>What outlives the process.</summary>
    ImportRecord Record { get; }

    /// <summary>The server's log.</summary>
    ILog Log { get; }

    /// <summary>How many databases this server has.</summary>
    int DatabaseCount { get; }

    /// <summary>Whether the operator has ended the import: what has changed last is copied.</summary>
    bool IsFinishing { get; }

    /// <summary>Connects to a master and logs in.</summary>
    /// <exception cref="ImportException">It cannot.</exception>
    SourceLink ConnectSource(ImportAddress address);

    /// <summary>Connects to this server.</summary>
    LocalLink ConnectLocal();

    /// <summary>Gives a key to the master that has it now.</summary>
    /// <returns>False: the master is none of the known ones.</returns>
    bool TryRoute(ImportKey key, string place);

    /// <summary>Notes what went wrong.</summary>
    void Note(string error);
}
