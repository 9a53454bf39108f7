using System.Collections.Generic;

namespace Tidy;

/// <summary>One rule of the house, checked over the whole repository; each counts as one test.</summary>
internal interface IRule
{
    /// <summary>The name by which the exceptions file knows the rule.</summary>
    string Name { get; }

    /// <summary>Every place that breaks the rule.</summary>
    IEnumerable<Violation> Check(Repository repository);
}
