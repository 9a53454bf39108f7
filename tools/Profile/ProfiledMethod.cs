using System.Collections.Generic;

namespace Profile;

/// <summary>What the runtime counted in one method.</summary>
/// <param name="Name">Type and method, as the runtime writes them.</param>
/// <param name="CodeBytes">The bytes of its instructions, by which overloads are told apart.</param>
/// <param name="IsGeneric">Whether it is a generic method; the runtime does not write of which types.</param>
/// <param name="Records">The counts.</param>
internal sealed record ProfiledMethod(
    string Name, int CodeBytes, bool IsGeneric, IReadOnlyList<ProfileRecord> Records);
