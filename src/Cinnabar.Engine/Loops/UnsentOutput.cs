using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Loops;

/// <summary>The queues of what peers have not taken.</summary>
internal static class UnsentOutput
{
    /// <summary>A session's queue, which is made where there is none.</summary>
    public static OutputQueue QueueOf(Session session, ILoopServer server) =>
        session.Unsent ??= new OutputQueue(server.Keyspace.Blocks, server.Sessions.Records);
}
