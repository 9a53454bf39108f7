namespace Cinnabar.Engine.Scripts;

/// <summary>How long the code of a library may run while it is loaded.</summary>
/// <param name="LeaveNs">On a loop: after this much it is to run off the loop; 0: it stays.</param>
/// <param name="EndNs">After this much it fails; 0: never, since it was loaded before.</param>
internal readonly record struct LoadBounds(long LeaveNs, long EndNs);
