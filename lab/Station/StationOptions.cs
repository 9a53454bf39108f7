using System;
using System.Collections.Generic;
using System.Globalization;

namespace Cinnabar.Lab;

/// <summary>A station's command line: <c>--port N</c>, flags, and options with a value.</summary>
public sealed class StationOptions
{
    private readonly HashSet<string> _flags = [];
    private readonly Dictionary<string, string> _values = [];

    /// <summary>Reads the arguments.</summary>
    /// <param name="arguments">As the process got them.</param>
    /// <param name="flags">The options that stand alone, with their dashes.</param>
    /// <param name="valued">The options that a value follows, with their dashes; <c>--port</c> is always one.
    /// </param>
    /// <exception cref="ArgumentException">An unknown option, a value missing, or no port.</exception>
    public StationOptions(string[] arguments, string[] flags, string[] valued)
    {
        for (int index = 0; index < arguments.Length; index++)
        {
            string name = arguments[index];
            if (Array.IndexOf(flags, name) >= 0) _flags.Add(name);
            else if (name != "--port" && Array.IndexOf(valued, name) < 0)
                throw new ArgumentException($"unknown option {name}; known: --port N "
                    + string.Join(' ', [.. flags, .. valued]));
            else if (++index == arguments.Length) throw new ArgumentException($"{name} needs a value");
            else _values[name] = arguments[index];
        }

        Port = Number("--port", -1, 0, ushort.MaxValue);
        if (Port < 0) throw new ArgumentException("--port N is missing (0: any free one)");
    }

    /// <summary>The port on 127.0.0.1; 0: any free one.</summary>
    public int Port { get; }

    /// <summary>Whether a flag was given.</summary>
    public bool Has(string flag) => _flags.Contains(flag);

    /// <summary>The value of an option, or what it is when it was not given.</summary>
    /// <exception cref="ArgumentException">Not one of the choices.</exception>
    public string Choice(string name, string fallback, params string[] choices)
    {
        string value = _values.GetValueOrDefault(name, fallback);
        return Array.IndexOf(choices, value) >= 0 ? value
            : throw new ArgumentException($"{name} is one of {string.Join(", ", choices)}");
    }

    /// <summary>The number that an option gives, or what it is when it was not given.</summary>
    /// <exception cref="ArgumentException">No number from min to max.</exception>
    public int Number(string name, int fallback, int min, int max)
    {
        if (!_values.TryGetValue(name, out string? text)) return fallback;
        return int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number)
            && number >= min && number <= max ? number
            : throw new ArgumentException($"{name} is a number from {min} to {max}");
    }
}
