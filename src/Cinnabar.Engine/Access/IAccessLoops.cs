using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Access;

/// <summary>The loops of a server, as far as a change of its users concerns them.</summary>
internal interface IAccessLoops
{
    /// <summary>Number of loops.</summary>
    int LoopCount { get; }

    /// <summary>The sessions of all loops.</summary>
    SessionRegistry Sessions { get; }

    /// <summary>Runs an action in a turn of each loop.</summary>
    void RunOnEach(Action<ISessionLoop> action);
}
