using Cinnabar.Engine.Access;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Security.Users;

namespace Cinnabar.Engine;

/// <summary>Makes the access control of a server, and loads its users.</summary>
internal static class AccessWiring
{
    /// <summary>Makes it.</summary>
    /// <exception cref="System.IO.IOException">The users of the configuration are wrong.</exception>
    public static AccessControl Make(ServerEngine engine)
    {
        ConfigurationRegistry configuration = engine.Configuration;
        var access = new AccessControl(new UserTable(engine.Commands), engine.Settings, engine.Clock,
            engine.Gates, new EngineLoops(engine));
        access.Files = new UserFiles(access, configuration, engine.Log);
        access.Files.LoadAtStart();
        configuration.RewrittenUserLines = access.Files.RewrittenLines;
        configuration.Subscribe("requirepass", () =>
        {
            access.SetDefaultPassword(engine.Settings.RequirePass);
            return null;
        });
        configuration.Follow("acl-pubsub-default", () => access.Users.HasChannelsAtFirst =
            configuration.TextOf("acl-pubsub-default") == "allchannels");
        return access;
    }

    private sealed class EngineLoops(ServerEngine engine) : IAccessLoops
    {
        public int LoopCount => engine.LoopCount;

        public SessionRegistry Sessions => engine.Sessions;

        public void RunOnEach(Action<ISessionLoop> action)
        {
            foreach (Loop loop in engine.Loops)
                loop.Run(() => action(loop));
        }
    }
}
