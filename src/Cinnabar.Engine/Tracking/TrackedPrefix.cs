using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Tracking;

/// <summary>A prefix and the sessions that track it.</summary>
/// <param name="Prefix">The prefix.</param>
/// <param name="Sessions">The sessions.</param>
internal sealed record TrackedPrefix(byte[] Prefix, Session[] Sessions);
