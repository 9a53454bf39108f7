using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Executions;

/// <summary>The suspended execution of a session.</summary>
internal static class SessionSuspension
{
    extension(Session session)
    {
        /// <summary>The execution that the session waits for; its input waits meanwhile.</summary>
        internal SessionExecution? Suspended
        {
            get => (SessionExecution?)session.SuspendedWork;
            set
            {
                Debug.Assert(value is null || session.SuspendedWork is null || session.SuspendedWork == value,
                    "a session waits for one execution at a time");
                session.SuspendedWork = value;
            }
        }
    }
}
