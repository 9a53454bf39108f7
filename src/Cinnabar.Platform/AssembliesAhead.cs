using System.Collections.Generic;
using System.Reflection;

namespace Cinnabar.Platform;

/// <summary>
/// Has the assemblies loaded that this program refers to. The runtime opens an assembly when the first method
/// that needs it is compiled: where descriptors have run out by then, that fails.
/// </summary>
public static class AssembliesAhead
{
    /// <summary>Loads what an assembly refers to, and what those of this program among them refer
    /// to.</summary>
    /// <param name="root">The assembly.</param>
    /// <returns>How many assemblies that are, with it.</returns>
    public static int Load(Assembly root)
    {
        string prefix = typeof(AssembliesAhead).Assembly.GetName().Name!.Split('.')[0];
        var loaded = new HashSet<string> { root.FullName! };
        var open = new Stack<Assembly>([root]);
        while (open.TryPop(out Assembly? assembly))
        {
            foreach (AssemblyName name in assembly.GetReferencedAssemblies())
            {
                if (!loaded.Add(name.FullName))
                    continue;
                Assembly referred = Assembly.Load(name);
                if (name.Name!.StartsWith(prefix, System.StringComparison.OrdinalIgnoreCase))
                    open.Push(referred);
            }
        }

        return loaded.Count;
    }
}
