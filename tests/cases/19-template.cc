// Copies of an inline function in two units are one function.
//#with: 19-template-other.cc
template <typename T> T largest(T a, T b)
{
    if (a < b)
        return b;
    return a;
}

int other();

int main()
{
    return largest(1, 2) + largest(4, 3) + other() - (2 + 4 + 8);
}
