using System;

namespace Profile;

/// <summary>Makes a profile for the native compiler of the text that the runtime wrote of a managed server:
/// <c>Profile TEXT ASSEMBLIES OUTPUT</c>. Methods that are generic, or whose name and size two have, are left
/// out, and the framework's.</summary>
internal static class Program
{
    private static int Main(string[] args)
    {
        if (args.Length != 3)
        {
            Console.Error.WriteLine("usage: Profile TEXT ASSEMBLIES OUTPUT");
            return 2;
        }

        using var defined = new DefinedMethods(args[1], "*innabar*.dll");
        var module = new ProfileModule();
        int count = 0, leftOut = 0;
        foreach (ProfiledMethod profiled in ProfileText.Read(args[0]))
        {
            if (!profiled.IsGeneric && defined.Find(profiled) is { } method)
            {
                module.Add(method, profiled);
                count++;
            }
            else
            {
                leftOut++;
            }
        }

        module.Write(args[2]);
        Console.WriteLine($"{args[2]}: {count} methods, {leftOut} left out");
        return count > 0 ? 0 : 1;
    }
}
