using System.Collections.Generic;
using Cinnabar.Structures.Tables;

namespace Cinnabar.Tests.Support.Structures;

/// <summary>Notes the keys of the entries it is shown.</summary>
public readonly unsafe struct CollectingVisitor : IEntryVisitor
{
    private readonly ICollection<long> _keys;

    public CollectingVisitor(ICollection<long> keys) => _keys = keys;

    public void Visit(byte* entry) => _keys.Add(TableFixture.KeyOf(entry));
}
