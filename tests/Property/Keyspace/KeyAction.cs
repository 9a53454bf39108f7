
using Cinnabar.Keyspace.Entries;

namespace Cinnabar.Tests.Property.Keyspace;

/// <summary>Does something with a named key, whose bytes stay in place meanwhile.</summary>
internal delegate void KeyAction(Key key);
