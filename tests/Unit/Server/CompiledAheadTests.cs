using System;
using System.Collections.Generic;
using System.Reflection;
using Cinnabar.Engine.Loops;
using Cinnabar.Keyspace;
using Cinnabar.Memory;
using Cinnabar.Structures.Tables;
using Xunit;

namespace Cinnabar.Tests.Unit.Server;

/// <summary>What the ahead-of-time compiler (the server's project file) requires of the code.</summary>
public sealed class CompiledAheadTests
{
    // It leaves every method to the run time that is handed an object with a field of such a type in it,
    // since how these are passed is not settled for good. A loop that runs such a method for the first time
    // stands still for milliseconds.
    [Fact]
    public void NoTypeOfTheEngineHasAFieldOf128Bits()
    {
        var fields = new List<string>();
        const BindingFlags Own = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic
            | BindingFlags.DeclaredOnly;
        foreach (Type module in new[] { typeof(Loop), typeof(Stripe), typeof(SlotReference), typeof(Arena) })
        {
            foreach (Type type in module.Assembly.GetTypes())
            {
                foreach (FieldInfo field in type.GetFields(Own))
                {
                    if (field.FieldType == typeof(Int128) || field.FieldType == typeof(UInt128))
                        fields.Add($"{type.FullName}.{field.Name}");
                }
            }
        }

        Assert.Empty(fields);
    }
}
