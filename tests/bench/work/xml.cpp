// Work for pugixml: parses a large document, walks and changes it, asks it XPath queries, and writes it again.
#include <iostream>
#include <sstream>
#include <string>

#include "pugixml.hpp"

static std::string document(int size) {
    std::ostringstream out;
    out << "<?xml version=\"1.0\"?>\n<shop>\n";
    for (int i = 0; i < size; i++)
        out << "  <item id=\"" << i << "\" kind=\"k" << i % 17 << "\"><name>Thing &amp; " << i * 7919 % 1000
            << "</name><price currency=\"EUR\">" << i % 97 << ".50</price><!-- note " << i << " --><stock>" << i % 13
            << "</stock></item>\n";
    out << "</shop>\n";
    return out.str();
}

struct Walker : pugi::xml_tree_walker {
    long nodes = 0, text = 0;
    bool for_each(pugi::xml_node &node) override {
        nodes++;
        for (const char *at = node.value(); *at; at++)
            text += *at;
        return true;
    }
};

int main(int argc, char **argv) {
    int size = argc > 1 ? std::stoi(argv[1]) : 20000;
    std::string text = document(size);
    long checksum = 0;
    for (int round = 0; round < 4; round++) {
        pugi::xml_document xml;
        if (!xml.load_string(text.c_str(), pugi::parse_full))
            return 1;
        Walker walker;
        xml.traverse(walker);
        checksum += walker.nodes + walker.text;
        for (auto item : xml.child("shop").children("item"))
            if (item.child("stock").text().as_int() == 0)
                item.append_attribute("sold") = true;
        checksum += static_cast<long>(xml.select_nodes("/shop/item[@kind='k3' and stock > 5]/name").size());
        checksum += static_cast<long>(pugi::xpath_query("sum(//price)").evaluate_number(xml));
        std::ostringstream out;
        xml.save(out, " ");
        checksum += static_cast<long>(out.str().size());
    }
    std::cout << checksum << '\n';
}
