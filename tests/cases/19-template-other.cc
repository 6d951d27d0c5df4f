//#part of 19-template.cc
template <typename T> T largest(T a, T b)
{
    if (a < b)
        return b;
    return a;
}

int other()
{
    return largest(7, 8);
}
