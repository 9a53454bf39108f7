
using Cinnabar.Keyspace.Entries;

namespace Cinnabar.Tests.Property.Keyspace;

/// <summary>Does something with two named keys, whose bytes stay in place meanwhile.</summary>
internal delegate void KeyPairAction(Key first, Key second);
