namespace Cinnabar.Persistence.Journal.Checking;

/// <summary>Shows how far the check of a file is, until it is disposed.</summary>
public interface ICheckProgress : IDisposable
{
    /// <summary>Shows how many bytes have been checked.</summary>
    void Show(long done);
}
