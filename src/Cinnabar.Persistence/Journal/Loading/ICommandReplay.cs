using Cinnabar.Resp;

namespace Cinnabar.Persistence.Journal.Loading;

/// <summary>Executes the commands of a journal, one thread at a time.</summary>
public interface ICommandReplay
{
    /// <summary>Executes a command. What it replies is of no interest, an error neither.</summary>
    /// <param name="arguments">The command, valid during the call.</param>
    /// <returns>False: there is no such command.</returns>
    bool TryReplay(ArgumentList arguments);
}
