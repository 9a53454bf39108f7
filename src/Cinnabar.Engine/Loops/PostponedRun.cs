using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Loops;

/// <summary>A session's replies of a turn, ready to be sent.</summary>
/// <param name="Session">Their session.</param>
/// <param name="Run">The bytes; a reference of their chunk belongs to it.</param>
internal readonly record struct PostponedRun(Session Session, OutputSegment Run);
