using System.Collections.Generic;

namespace Cinnabar.Bench.Suites.Commands;

/// <summary>Commands that are measured on the same data, of an otherwise empty server.</summary>
/// <param name="Setup">What makes the data: a request with <c>__key__</c> is sent once for each key, any
/// other once.</param>
/// <param name="Loads">The commands.</param>
internal sealed record CommandFamily(IReadOnlyList<string> Setup, IReadOnlyList<CommandLoad> Loads);
