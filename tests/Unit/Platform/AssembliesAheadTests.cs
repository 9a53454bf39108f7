using System;
using System.Linq;
using System.Reflection;
using Cinnabar.Engine.Loops;
using Cinnabar.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Platform;

public sealed class AssembliesAheadTests
{
    [Fact]
    public void WhatTheProgramRefersToIsLoadedThen()
    {
        AssembliesAhead.Load(typeof(WarmUp).Assembly);
        Assembly[] loaded = AppDomain.CurrentDomain.GetAssemblies();
        string[] names = [.. loaded.Select(static one => one.GetName().Name!)];
        string[] own = ["Cinnabar.Engine", "Cinnabar.Commands", "Cinnabar.Keyspace", "Cinnabar.Structures"];
        foreach (Assembly assembly in loaded.Where(one => own.Contains(one.GetName().Name)))
        {
            foreach (AssemblyName referred in assembly.GetReferencedAssemblies())
                Assert.Contains(referred.Name!, names);
        }
    }
}
